-- KEYS: one record. Answers {value or nil, PTTL, now in ms}.
local now, left, after
repeat -- until both were read within one millisecond, so that their sum is always the same
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
  left = redis.call('PTTL', KEYS[1])
  time = redis.call('TIME')
  after = time[1] * 1000 + math.floor(time[2] / 1000)
until now == after
local value = redis.call('GET', KEYS[1])
if BUCKETS and not value then
  local ends
  value, ends = in_bucket(1, now)
  if value and string.byte(value) == 69 then -- 'E'
    return {err = string.sub(value, 2)}
  end
  left = ends and ends < math.huge and ends - now or -1
end
return {value, left, now}
