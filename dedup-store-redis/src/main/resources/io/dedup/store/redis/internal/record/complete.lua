-- KEYS: records. ARGV: window in ms ('' for ever), how many arguments each key has; then for each key "<owner>," and,
-- where there are three, the attempt whose DONE counts as applied ('' for none) and the result ("+<bytes>", '' for none).
-- 0: "<owner>," once, for all keys. -1: the same, and then the bytes of each key's result.
-- Answers a letter per key: A applied, L lease lost.
local call, format, find, match, byte = redis.call, string.format, string.find, string.match, string.byte
local window, width = ARGV[1], tonumber(ARGV[2])
local once = width < 0 -- the owner, before the results
local time, ms, packed

local function read_time()
  time = call('TIME')
  ms = time[1] * 1000 + math.floor(time[2] / 1000)
  packed = math.max(ms - EPOCH, 0) * ATTEMPTS
end

if count == 1 and width ~= 3 and window ~= '' and not LIGHT_FIRST then -- what nearly every message needs
  local value = redis.pcall('GET', KEYS[1])
  -- This owner's first attempt, no fingerprint.
  if type(value) == 'string' and find(value, ARGV[3] .. '1,', 2, true) == 2 and byte(value, -1) == 44 then
    read_time()
    if once then
      call('SET', KEYS[1], format('R,%.0f,1,,', ms) .. ARGV[4], 'PX', window)
      return 'A'
    end
    if BUCKETS and enter(1, ms, 1, window) then
      call('DEL', KEYS[1])
      return 'A' .. overgrown
    end
    call('SET', KEYS[1], format('%.0f', packed + 1), 'PX', window)
    return 'A'
  end
end

read_time()

local function done(attempt, fingerprint, result)
  if result ~= '' then
    return format('R,%.0f,%s,%s,', ms, attempt, fingerprint) .. string.sub(result, 2)
  elseif fingerprint ~= '' or attempt + 0 >= ATTEMPTS then
    return format('D,%.0f,%s,%s', ms, attempt, fingerprint)
  end
  return format('%.0f', packed + attempt)
end

local function is_done_by(value, attempt)
  local theirs = match(value, '^[DR],%d+,(%d+),')
  if not theirs and find(value, '^%d+$') then
    theirs = value % ATTEMPTS
  end
  return theirs and theirs + 0 == attempt + 0
end

local first = format('%.0f', packed + 1) -- the value of most records: done at the first attempt, no fingerprint, no result

-- The value of a record once it is done, where results follow owners without its result; nil if it is somebody else's. Also its
-- attempt, if nothing but a number has to be kept.
local function completed(value, mine, at)
  if find(value, mine, 2, true) ~= 2 then
    return nil
  end
  local digit, comma = byte(value, #mine + 2, #mine + 3)
  if (width == 0 or width == 1) and digit == 49 and comma == 44 and byte(value, -1) == 44 then
    return first, 1
  end
  local attempt, fingerprint = match(value, '^(%d+),%d+,%d+,([%w_-]*)', #mine + 2) -- steps may follow
  local result = width == 3 and ARGV[at + 2] or once and '+' or ''
  return done(attempt, fingerprint, result), result == '' and fingerprint == '' and attempt + 0 or nil
end

local found = call('MGET', unpack(KEYS, 1, count))
local answers = {}
local gone = BUCKETS and {} -- keys of records that are in a bucket now
local before, owner_before, next, attempt -- records that were claimed together have the same value: look at it once
for i = 1, count do
  local key, value = KEYS[i], found[i]
  local at = once and 3 or 3 + (i - 1) * width
  local mine = ARGV[at]
  if width == 3 or value ~= before or mine ~= owner_before then
    before, owner_before, next, attempt = value, mine, nil, nil
    if value then
      next, attempt = completed(value, mine, at)
    end
  end
  if next then
    if LIGHT_FIRST then -- if its first write needs no memory, a script may continue when memory is full
      -- Not DEL: while the slot migrates to another node, a deleted key can no longer be set here.
      call('PEXPIRE', key, math.max(call('PTTL', key), 1))
      LIGHT_FIRST = false
    end
    local stored = once and next .. ARGV[3 + i] or next
    if BUCKETS and attempt and enter(i, ms, attempt, window) then
      gone[#gone + 1] = key
    elseif window == '' then
      call('SET', key, stored)
    else
      call('SET', key, stored, 'PX', window)
    end
    answers[i] = 'A'
  elseif width == 3 and ARGV[at + 1] ~= '' then
    value = value or BUCKETS and in_bucket(i, ms)
    answers[i] = value and is_done_by(value, ARGV[at + 1]) and 'A' or 'L'
  else
    answers[i] = 'L'
  end
end
if BUCKETS then
  if #gone > 0 then
    call('DEL', unpack(gone)) -- only now: nothing else can fail after it
  end
  answers[#answers + 1] = overgrown
end
return table.concat(answers)
