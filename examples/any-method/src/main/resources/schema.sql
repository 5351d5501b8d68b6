CREATE TABLE IF NOT EXISTS reservation (order_id varchar(100));
CREATE TABLE IF NOT EXISTS mail (order_id varchar(100));
