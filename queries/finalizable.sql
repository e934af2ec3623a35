-- Which types have objects with finalizers?
-- In which state are these objects?
SELECT type, state, count(*) AS objects, sum(size) AS bytes
FROM finalizers
GROUP BY type, state
ORDER BY objects DESC
