-- KEYS: records. ARGV: lease + attemptRetention in ms, attemptRetention in ms, how many arguments each key has; then for
-- each key "<owner>," and, where there are two, the fingerprint ('' for none). 0: "<owner>," once, for all keys.
-- Answers {codes, now, answer ...}: a code per key, N for a first claim with token `now`, else x and one answer:
-- the DONE value, A<attempt>,<deaths>,<took over>,<token><steps>, I<ms of the lease left>, C or E<error>. Steps are as a record
-- has them, see keep_steps.lua; nothing if there are none.
-- Of a single key it may answer with `now` or the DONE value alone.
local call, pcall, format = redis.call, redis.pcall, string.format
local time, now

if count == 1 then -- what nearly every message needs, with as little as possible around it
  local value = pcall('GET', KEYS[1])
  if not value then
    time = call('TIME')
    now = time[1] * 1000000 + time[2]
    if BUCKETS then
      local done = in_bucket(1, now / 1000)
      if done then
        return done
      end
    end
    if not pcall('SET', KEYS[1], format('P%s1,0,%.0f,%s', ARGV[4], now, ARGV[5] or ''), 'PX', ARGV[1]).err then
      if BUCKETS then
        drop_ended()
      end
      return now
    end -- below, the error is answered
  elseif type(value) == 'string' and (string.byte(value) or 58) < 58 then -- a digit: DONE
    return value
  end
end

local ttl, retention, width = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
time = call('TIME')
now = time[1] * 1000000 + time[2]

-- Of a dead record: by its owner, which ends with ! if it was alone; without one, by the zero before its deaths.
local function is_uncounted(owner, deaths)
  if owner ~= '' then
    return string.byte(owner, -1) ~= 33
  end
  return #deaths > 1 and string.byte(deaths) == 48
end

local function claim(i, key, mine, fingerprint)
  -- Read again: the MGET is outdated if an earlier entry of this batch claimed the same key.
  local value = pcall('GET', key)
  if type(value) ~= 'string' then
    return 'E' .. (value and value.err or 'a key disappeared during the script')
  end
  local theirs = string.match(value, '^[DR],%d+,%d+,([%w_-]*)')
  if theirs then
    return theirs ~= '' and fingerprint ~= '' and theirs ~= fingerprint and 'C' or value
  end
  local phase, owner, attempt, deaths, token, steps
  phase, owner, attempt, deaths, token, theirs, steps =
    string.match(value, '^([FXPT])([^,]*),(%d+),(%d+),(%d+),([%w_-]*)(.*)$')
  if not phase or steps ~= '' and string.byte(steps) ~= 59 then -- a semicolon
    return 'E' .. 'the key holds a value that is not a record of this store'
  end
  local left = call('PTTL', key)
  if owner ~= '' and left > retention then
    if mine == owner .. ',' then
      call('PEXPIRE', key, ttl)
      return format('A%s,%s,%d,%s', attempt, deaths, phase == 'T' and 1 or 0, token) .. steps
    end
    if theirs ~= '' and fingerprint ~= '' and theirs ~= fingerprint then
      return 'C'
    end
    return format('I%.0f', left - retention)
  end
  if BUCKETS then -- while forms are mixed, a record may be in both
    local done = in_bucket(i, now / 1000)
    if done then
      return done
    end
  end
  local dead, uncounted = 0, ''
  if left == 0 then -- expires within this very millisecond: counts as absent
    attempt, deaths, steps = 1, 0, ''
  else
    dead = phase == 'F' and 0 or 1
    if dead == 1 and is_uncounted(owner, deaths) then
      uncounted = '0'
    else
      deaths = deaths + dead
    end
    attempt = attempt + 1
  end
  token = math.max(token + 1, now)
  local claimed = format('%s%s%.0f,%s%.0f,%.0f,%s', dead == 1 and 'T' or 'P', mine, attempt, uncounted, deaths, token, fingerprint) .. steps
  local set = pcall('SET', key, claimed, 'PX', ttl)
  if set.err then
    return set
  end
  return format('A%.0f,%.0f,%d,%.0f', attempt, deaths, dead, token) .. steps
end

local found = call('MGET', unpack(KEYS, 1, count))
local first = format('1,0,%.0f,', now)
local same = width == 0 and 'P' .. ARGV[4] .. first -- the same value for all new records
local codes, answers = {}, {'', now}
for i = 1, count do
  local key, value = KEYS[i], found[i]
  if BUCKETS and not value then
    value = in_bucket(i, now / 1000)
  end
  local at = 4 + (i - 1) * width
  local code, answer = 'x', value
  if not value then
    local claimed = same or 'P' .. ARGV[at] .. first .. (width == 2 and ARGV[at + 1] or '')
    local set = pcall('SET', key, claimed, 'NX', 'PX', ttl)
    if not set then
      value = ''
    elseif set.err then
      answer = set
    else
      code = 'N'
    end
  end
  if value and string.byte(value) ~= nil and string.byte(value) < 58 then -- a digit: DONE
    answer = value
  elseif BUCKETS and value and string.byte(value) == 69 then -- E: what the bucket answered
    answer = value
  elseif value then
    answer = claim(i, key, ARGV[at], width == 2 and ARGV[at + 1] or '')
  end
  codes[i] = code
  if code == 'x' then
    if type(answer) == 'table' then -- OOM concerns this key only; READONLY concerns all keys
      if string.find(answer.err, 'READONLY', 1, true) then
        return answer
      end
      answer = 'E' .. answer.err
    end
    answers[#answers + 1] = answer
  end
end
if BUCKETS then
  drop_ended()
end
answers[1] = table.concat(codes)
return answers
