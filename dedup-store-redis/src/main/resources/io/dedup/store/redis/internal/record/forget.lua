-- KEYS: one record. ARGV: attemptRetention in ms, 1 to remove it despite a live lease.
-- Answers APPLIED, ABSENT or LEASE_LIVE.
local value, left = redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])
-- PACKED local time = redis.call('TIME')
-- PACKED local done = in_bucket(1, time[1] * 1000 + time[2] / 1000)
if not value or left == 0 then
  -- PACKED if redis.call('HDEL', KEYS[2], field_of(1)) == 1 and done then return 'APPLIED' end
  return 'ABSENT'
elseif ARGV[2] ~= '1' and string.find(value, '^[PT]') and left > tonumber(ARGV[1]) then
  return 'LEASE_LIVE'
end
redis.call('DEL', KEYS[1])
-- PACKED redis.call('HDEL', KEYS[2], field_of(1))
return 'APPLIED'
