-- Put in front of the scripts of a namespace that isn't packed; its counterparts are bucket_read.lua and bucket_write.lua.
-- Their names are declared without their functions: scripts use these only if BUCKETS, which takes less time than a call.
local BUCKETS, count = false, #KEYS
local in_bucket, drop_ended, field_of, try_redis, enter, overgrown
