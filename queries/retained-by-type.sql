-- Which types would free the most bytes?
-- Counts what would be freed with all objects of a type.
SELECT type, count, size, retained
FROM types
ORDER BY retained DESC
LIMIT 100
