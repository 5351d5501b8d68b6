-- KEYS: one record. ARGV: attemptRetention in ms, 1 to apply it despite a live lease, window in ms ('' for ever).
-- Answers APPLIED or LEASE_LIVE.
local call, match = redis.call, string.match
local value, left = call('GET', KEYS[1]), call('PTTL', KEYS[1])
local time = call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
local attempt, fingerprint = 0, ''
if BUCKETS and not value then
  value = match(in_bucket(1, ms) or '', '^%d+$')
end
if value and left ~= 0 then
  if ARGV[2] ~= '1' and match(value, '^[PT]') and left > tonumber(ARGV[1]) then
    return 'LEASE_LIVE'
  end
  if match(value, '^%d+$') then
    attempt = value % ATTEMPTS
  elseif match(value, '^[DR]') then
    attempt, fingerprint = match(value, '^[DR],%d+,(%d+),([%w_-]*)')
  else
    attempt, fingerprint = match(value, '^[FXPT][^,]*,(%d+),%d+,%d+,([%w_-]*)')
  end
end
local done = string.format('%.0f', math.max(ms - EPOCH, 0) * ATTEMPTS + attempt)
if fingerprint ~= '' or attempt + 0 >= ATTEMPTS then
  done = string.format('D,%.0f,%s,%s', ms, attempt, fingerprint)
end
if BUCKETS and fingerprint == '' and enter(1, ms, attempt + 0, ARGV[3]) then
  call('DEL', KEYS[1])
  return 'APPLIED'
end
if ARGV[3] == '' then
  call('SET', KEYS[1], done)
else
  call('SET', KEYS[1], done, 'PX', ARGV[3])
end
if BUCKETS then
  try_redis('HDEL', KEYS[2], field_of(1)) -- an entry that may last longer
end
return 'APPLIED'
