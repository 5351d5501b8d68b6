CREATE TABLE IF NOT EXISTS reservation (id varchar(100));
CREATE TABLE IF NOT EXISTS click (id varchar(100));
CREATE TABLE IF NOT EXISTS invoice (id varchar(100));
CREATE TABLE IF NOT EXISTS mail (id varchar(100));
