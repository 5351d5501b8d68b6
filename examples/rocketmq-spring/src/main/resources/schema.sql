CREATE TABLE IF NOT EXISTS booking (item varchar(100), amount int); -- no unique key
