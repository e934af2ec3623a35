-- Which arrays are the largest?
SELECT type, address, size, gen, root
FROM objects
WHERE type LIKE '%]'
ORDER BY size DESC
LIMIT 100
