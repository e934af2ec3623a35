-- Which texts exist more than once?
-- How many bytes would one copy of each save?
SELECT text, count, size, wasted
FROM strings
WHERE count > 1
ORDER BY wasted DESC
LIMIT 1000
