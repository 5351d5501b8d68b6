-- KEYS: records. ARGV: attemptRetention in ms, age in ms.
-- Answers {index, value, PTTL, ...} of the records that were started, are not done, and were claimed or left that long ago.
local call, pcall = redis.call, redis.pcall
local retention, age = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local answers = {}
for i = 1, #KEYS do
  local first = pcall('GETRANGE', KEYS[i], 0, 0) -- not the whole value: a result may be long
  if type(first) == 'table' and not string.find(first.err, 'WRONGTYPE') then
    return first -- the user lacks a right; without this, nothing would seem to be stuck
  end
  if type(first) == 'string' and string.find(first, '^[FXPT]') then
    local value, left = call('GET', KEYS[i]), call('PTTL', KEYS[i])
    local attempt, token = string.match(value, '^[FXPT][^,]*,(%d+),%d+,(%d+),')
    -- A claim made by SET has no token, hence no time. While a lease is live, PTTL exceeds attemptRetention.
    if attempt and attempt + 0 > 0 and left > 0 and
        (retention - left >= math.max(age, 0) or token + 0 > 0 and now - token >= age * 1000) then
      answers[#answers + 1] = i
      answers[#answers + 1] = value
      answers[#answers + 1] = left
    end
  end
end
return answers
