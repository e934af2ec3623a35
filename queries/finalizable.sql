-- Which types have objects with finalizers, and in which state?
SELECT type, state, count(*) AS objects, sum(size) AS bytes
FROM finalizers
GROUP BY type, state
ORDER BY objects DESC
