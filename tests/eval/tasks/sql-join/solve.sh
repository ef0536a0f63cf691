cat > report.sql <<'SQL'
-- What each customer ordered and paid. Cancelled orders do not count, nor what was paid for them. A customer without orders has zeros.
SELECT c.name,
       COUNT(o.id) AS orders,
       COALESCE(SUM(o.total_cents), 0) AS ordered,
       COALESCE(SUM(p.paid), 0) AS paid
FROM customers c
LEFT JOIN orders o ON o.customer_id = c.id AND o.state <> 'cancelled'
LEFT JOIN (SELECT order_id, SUM(amount_cents) AS paid FROM payments GROUP BY order_id) p ON p.order_id = o.id
GROUP BY c.id
ORDER BY c.name;
SQL
