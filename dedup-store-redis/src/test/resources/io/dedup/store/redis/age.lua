-- Makes all records of a namespace older. ARGV: the namespace, a pattern of its keys, ms.
local by = tonumber(ARGV[3])
local EPOCH, ATTEMPTS = 1704067200000, 2048

local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function age_record(key)
  local value = redis.call('GET', key)
  local kind, ms, rest = string.match(value, '^([DR]),(%d+)(,.*)$')
  if kind then
    redis.call('SET', key, string.format('%s,%.0f', kind, math.max(ms - by, 0)) .. rest, 'KEEPTTL')
  elseif string.find(value, '^%d+$') then
    local attempt = value % ATTEMPTS
    local since = math.max((value - attempt) / ATTEMPTS - by, 0)
    redis.call('SET', key, string.format('%.0f', since * ATTEMPTS + attempt), 'KEEPTTL')
  end
end

local function age_bucket(key)
  local entries = redis.call('HGETALL', key)
  for i = 1, #entries, 2 do
    local since, rest = string.match(entries[i + 1], '^(%d+)(%d%d%d%d%d%d)$')
    redis.call('HSET', key, entries[i], string.format('%.0f', math.max(since - by, 0)) .. rest)
  end
end

for _, key in ipairs(redis.call('KEYS', ARGV[2])) do
  if string.find(key, ARGV[1] .. '{}!', 1, true) ~= 1 then
    local before, left
    repeat
      before = now()
      left = redis.call('PTTL', key)
    until before == now()
    if left >= 0 and left <= by then
      redis.call('DEL', key)
    elseif left ~= -2 then
      if redis.call('TYPE', key).ok == 'hash' then
        age_bucket(key)
      else
        age_record(key)
      end
      if left >= 0 then
        redis.call('PEXPIREAT', key, string.format('%.0f', before + left - by))
      end
    end
  end
end
return 'OK'
