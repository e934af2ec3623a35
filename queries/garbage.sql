-- Which types have objects without a root?
SELECT type, dead_count AS objects, dead AS bytes
FROM types
WHERE dead > 0
ORDER BY dead DESC
LIMIT 100
