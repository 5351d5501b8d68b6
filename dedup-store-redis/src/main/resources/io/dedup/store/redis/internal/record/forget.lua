-- KEYS: one record. ARGV: attemptRetention in ms, 1 to remove it despite a live lease.
-- Answers APPLIED, ABSENT or LEASE_LIVE.
local value, left = redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])
local done
if BUCKETS then
  local time = redis.call('TIME')
  done = in_bucket(1, time[1] * 1000 + time[2] / 1000)
end
if not value or left == 0 then
  if BUCKETS and redis.call('HDEL', KEYS[2], field_of(1)) == 1 and done then
    return 'APPLIED'
  end
  return 'ABSENT'
elseif ARGV[2] ~= '1' and string.find(value, '^[PT]') and left > tonumber(ARGV[1]) then
  return 'LEASE_LIVE'
end
redis.call('DEL', KEYS[1])
if BUCKETS then
  redis.call('HDEL', KEYS[2], field_of(1))
end
return 'APPLIED'
