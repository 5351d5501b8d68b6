-- KEYS: records. ARGV: window in ms ('' for ever), how many arguments each key has; then for each key "<owner>," and,
-- where there are three, the attempt whose DONE counts as applied ('' for none) and the result ("+<bytes>", '' for none).
-- Answers a letter per key: A applied, L lease lost.
local call, format, find, match, byte = redis.call, string.format, string.find, string.match, string.byte
local window, width = ARGV[1], tonumber(ARGV[2])
local time = call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
local packed = math.max(ms - EPOCH, 0) * ATTEMPTS

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
local found = call('MGET', unpack(KEYS))
local answers = {}
for i = 1, #KEYS do
  local key, value = KEYS[i], found[i]
  local at = 3 + (i - 1) * width
  local mine, answer = ARGV[at], 'L'
  if value and find(value, mine, 2, true) == 2 then
    local next = first
    local digit, comma = byte(value, #mine + 2, #mine + 3)
    if width == 3 or digit ~= 49 or comma ~= 44 or byte(value, -1) ~= 44 then -- not the common case of `first`
      local attempt, fingerprint = match(value, '^(%d+),%d+,%d+,([%w_-]*)$', #mine + 2)
      next = done(attempt, fingerprint, width == 3 and ARGV[at + 2] or '')
    end
    if LIGHT_FIRST then -- if its first write needs no memory, a script may continue when memory is full
      -- Not DEL: while the slot migrates to another node, a deleted key can no longer be set here.
      call('PEXPIRE', key, math.max(call('PTTL', key), 1))
      LIGHT_FIRST = false
    end
    if window == '' then
      call('SET', key, next)
    else
      call('SET', key, next, 'PX', window)
    end
    answer = 'A'
  elseif value and width == 3 and ARGV[at + 1] ~= '' and is_done_by(value, ARGV[at + 1]) then
    answer = 'A'
  end
  answers[i] = answer
end
return table.concat(answers)
