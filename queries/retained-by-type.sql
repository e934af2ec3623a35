-- Which types would free the most bytes with all of their objects?
SELECT type, count, size, retained
FROM types
ORDER BY retained DESC
LIMIT 100
