-- How many roots of each kind are there?
-- How many objects do they name?
SELECT kind, count(*) AS roots, count(DISTINCT address) AS objects
FROM roots
GROUP BY kind
ORDER BY roots DESC
