-- What the shop has been asked for, to send it again.
CREATE TABLE IF NOT EXISTS placed (order_id varchar(1000) PRIMARY KEY, customer varchar(100), cents bigint);
-- What the consumer has done. Without a unique key: twice would be two rows.
CREATE TABLE IF NOT EXISTS effect (topic varchar(20), order_id varchar(1000), customer varchar(100), cents bigint);
