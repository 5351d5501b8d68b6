-- KEYS: records. ARGV: attemptRetention in ms, window in ms ('' for ever); then for each key when it was completed, in ms,
-- and the result ("+<bytes>", '' for none).
-- Answers {codes, error}: a code per key, I imported, K known, H held, O over, E for those that failed with the last error.
local call, pcall, format, match = redis.call, redis.pcall, string.format, string.match
local retention, window = tonumber(ARGV[1]), tonumber(ARGV[2])

local function read_time()
  local time = call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local now = read_time()

local function value_of(ms, attempt, fingerprint, result)
  if result then
    return format('R,%.0f,%.0f,%s,', ms, attempt, fingerprint) .. result
  elseif fingerprint ~= '' or attempt + 0 >= ATTEMPTS or ms < EPOCH then
    return format('D,%.0f,%.0f,%s', ms, attempt, fingerprint)
  end
  return format('%.0f', (ms - EPOCH) * ATTEMPTS + attempt)
end

-- What is known of a DONE record; nil for another one.
local function parse_done(value)
  if match(value, '^%d+$') then
    return math.floor(value / ATTEMPTS) + EPOCH, value % ATTEMPTS, ''
  end
  local ms, attempt, fingerprint = match(value, '^[DR],(%d+),(%d+),([%w_-]*)')
  local head = match(value, '^R,%d+,%d+,[%w_-]*,')
  return ms and tonumber(ms), attempt, fingerprint, head and string.sub(value, #head + 1)
end

local function import(key, ms, result, i)
  local ends = window and ms + window
  if ends and ends <= now then
    return 'O'
  end
  local value = pcall('GET', key)
  if type(value) == 'table' then
    return value
  end
  local attempt, fingerprint = 0, ''
  local left = value and call('PTTL', key) or 0
  if left ~= 0 and match(value, '^[FXPT]') then
    local phase, owner, steps
    phase, owner, attempt, fingerprint, steps = match(value, '^([FXPT])([^,]*),(%d+),%d+,%d+,([%w_-]*)(.?)')
    if not phase or steps ~= '' and steps ~= ';' then
      return {err = 'the key holds a value that is not a record of this store'}
    elseif owner ~= '' and left > retention then
      return 'H'
    end
    value, left = nil, 0
  end
  if BUCKETS and not value then -- also beside an attempt that is over, while forms are mixed
    local done_until
    value, done_until = in_bucket(i, now)
    if value and not done_until then
      return {err = string.sub(value, 2)}
    end
    left = value and (done_until < math.huge and done_until - now or -1) or 0
  end
  if left ~= 0 then
    local done, done_attempt, done_fingerprint, done_result = parse_done(value)
    if not done then
      return {err = 'the key holds a value that is not a record of this store'}
    end
    local theirs = left > 0 and read_time() + left
    -- Both times were read in this script, but not within the same millisecond.
    if done >= ms and (not theirs or ends and theirs + 2 >= ends) then
      return 'K'
    end
    ms = math.max(ms, done)
    ends = ends and theirs and math.max(ends, theirs)
    attempt, fingerprint, result = done_attempt, done_fingerprint, done_result or result
  end
  if BUCKETS and not result and fingerprint == '' and ms >= EPOCH and ms <= now and ends == (window and ms + window)
      and enter(i, ms, attempt, window or '') then
    call('DEL', key)
    return 'I'
  end
  local next = value_of(ms, attempt, fingerprint, result)
  local set
  if ends then
    set = pcall('SET', key, next, 'PXAT', format('%.0f', ends))
  else
    set = pcall('SET', key, next)
  end
  if BUCKETS and not set.err then
    try_redis('HDEL', KEYS[count + i], field_of(i))
  end
  return set.err and set or 'I'
end

local codes, failure = {}, nil
for i = 1, count do
  local result = ARGV[2 * i + 2]
  local code = import(KEYS[i], tonumber(ARGV[2 * i + 1]), result ~= '' and string.sub(result, 2) or nil, i)
  if type(code) == 'table' then
    if string.find(code.err, 'READONLY', 1, true) then
      return code -- concerns all keys
    end
    failure, code = code.err, 'E'
  end
  codes[i] = code
end
return {table.concat(codes), failure}
