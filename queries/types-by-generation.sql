-- In which generation are each type's bytes?
SELECT type, gen, count(*) AS objects, sum(size) AS bytes
FROM objects
GROUP BY type, gen
ORDER BY bytes DESC
LIMIT 1000
