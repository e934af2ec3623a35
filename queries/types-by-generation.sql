-- How many bytes of each type are in each generation?
SELECT type, gen, count(*) AS objects, sum(size) AS bytes
FROM objects
GROUP BY type, gen
ORDER BY bytes DESC
LIMIT 1000
