-- Makes all records of a namespace older. ARGV: pattern of their keys, ms.
local by = tonumber(ARGV[2])
local EPOCH, ATTEMPTS = 1704067200000, 2048

local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local before, left
  repeat
    before = now()
    left = redis.call('PTTL', key)
  until before == now()
  if left >= 0 and left <= by then
    redis.call('DEL', key)
  elseif left ~= -2 then
    local value = redis.call('GET', key)
    local kind, ms, rest = string.match(value, '^([DR]),(%d+)(,.*)$')
    if kind then
      redis.call('SET', key, string.format('%s,%.0f', kind, math.max(ms - by, 0)) .. rest, 'KEEPTTL')
    elseif string.find(value, '^%d+$') then
      local attempt = value % ATTEMPTS
      local since = math.max((value - attempt) / ATTEMPTS - by, 0)
      redis.call('SET', key, string.format('%.0f', since * ATTEMPTS + attempt), 'KEEPTTL')
    end
    if left >= 0 then
      redis.call('PEXPIREAT', key, string.format('%.0f', before + left - by))
    end
  end
end
return 'OK'
