-- Which objects are farthest from any root?
SELECT distance, type, address, size, root
FROM objects
WHERE distance IS NOT NULL
ORDER BY distance DESC
LIMIT 100
