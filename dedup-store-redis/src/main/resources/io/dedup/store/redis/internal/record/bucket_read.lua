-- Put in front of the scripts of a packed namespace; no_buckets.lua is its counterpart. KEYS: records, then the bucket of
-- each. ARGV[1]: the field of each, as one text; removed here, so that what follows is numbered as it is without buckets.
-- An entry: <ms since EPOCH><attempt, 1 digit><unit of the window, 1 digit><how many units, 4 digits>. Unit 0: for ever.
local BUCKETS, count = true, #KEYS / 2
local call_redis, try_redis, sub = redis.call, redis.pcall, string.sub
local FIELDS = table.remove(ARGV, 1)
local UNITS = {1, 1000, 60000, 3600000, 86400000}
local ended = {} -- of which records an entry was found whose window has ended

local function field_of(i)
  return sub(FIELDS, FIELD * i - FIELD + 1, FIELD * i)
end

-- When it was done and when its window ends, both in ms since EPOCH, and the attempt; nil if it isn't an entry.
local function parsed(entry)
  local since, attempt, unit, length = string.match(entry, '^(%d+)(%d)([0-5])(%d%d%d%d)$')
  if since then
    return since + 0, unit == '0' and math.huge or since + length * UNITS[unit + 0], attempt
  end
end

-- The DONE value of a record in its bucket, as a key of its own has it, and when its window ends in ms; 'E<error>'; nil if
-- there is none, or its window has ended.
local function in_bucket(i, ms)
  local entry = try_redis('HGET', KEYS[count + i], field_of(i))
  if not entry then
    return nil
  elseif type(entry) ~= 'string' then
    return 'E' .. entry.err
  end
  local since, ends, attempt = parsed(entry)
  if not since then
    return 'E' .. 'the bucket holds a value that is not a record of this store'
  elseif EPOCH + ends > ms then
    return string.format('%.0f', since * ATTEMPTS + attempt), EPOCH + ends
  end
  ended[#ended + 1] = i
end

-- Removes those entries. Like expired keys, they must not come back if the clock is set back. To be called last: if its
-- first write needs no memory, a script may claim when memory is full.
local function drop_ended()
  for _, i in ipairs(ended) do
    try_redis('HDEL', KEYS[count + i], field_of(i))
  end
end
