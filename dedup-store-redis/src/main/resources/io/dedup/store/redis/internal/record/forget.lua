-- KEYS: one record. ARGV: attemptRetention in ms, 1 to remove it despite a live lease.
-- Answers APPLIED, ABSENT or LEASE_LIVE.
local value, left = redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])
if not value or left == 0 then
  return 'ABSENT'
elseif ARGV[2] ~= '1' and string.find(value, '^[PT]') and left > tonumber(ARGV[1]) then
  return 'LEASE_LIVE'
end
redis.call('DEL', KEYS[1])
return 'APPLIED'
