-- KEYS: records. ARGV: attemptRetention in ms; then for each key "<owner>," and S (started), N (not started) or
-- C (convicted). Answers a letter per key: A applied, L lease lost.
local call, find = redis.call, string.find
local found = call('MGET', unpack(KEYS))
local answers = {}
for i = 1, #KEYS do
  local key, value, mine, mode = KEYS[i], found[i], ARGV[2 * i], ARGV[2 * i + 1]
  answers[i] = 'L'
  if value and find(value, mine, 2, true) == 2 then
    local attempt, deaths, rest = string.match(value, '^(%d+),(%d+),(%d+,.*)$', #mine + 2)
    local phase, uncounted = 'F', ''
    if mode ~= 'S' then
      attempt = attempt - 1
    end
    if mode == 'C' then
      deaths = 0
    elseif mode == 'N' and string.sub(value, 1, 1) == 'T' then
      phase = 'X'
      if string.find(deaths, '^0%d') then -- this claim counted no death, and the next one counts none: see claim.lua
        uncounted = '0'
      else
        deaths = deaths - 1
      end
    end
    if LIGHT_FIRST then -- if its first write needs no memory, a script may continue when memory is full
      -- Not DEL: while the slot migrates to another node, a deleted key can no longer be set here.
      call('PEXPIRE', key, math.max(call('PTTL', key), 1))
      LIGHT_FIRST = false
    end
    call('SET', key, string.format('%s,%.0f,%s%.0f,', phase, attempt, uncounted, deaths) .. rest, 'PX', ARGV[1])
    answers[i] = 'A'
  end
end
return table.concat(answers)
