-- nn.get_bleu, nn.get_rougeN, nn.get_rougeS: the similarity of two sentences, which are lists of words or tensors of
-- their indices.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(nn)
   local utils = nn.utils

   local function words_of(name, what, sentence)
      if torch.isTensor(sentence) then sentence = sentence:totable() end
      return check.kind(name, what, sentence, 'table')
   end

   -- Runs of up to n words: { count, length } by their text, or 1 without `count`.
   function utils.get_ngrams(sentence, n, count)
      local found = {}
      for first = 1, #sentence do
         for last = first, math.min(first + n - 1, #sentence) do
            local text = table.concat(sentence, ' ', first, last)
            if not count then
               found[text] = 1
            else
               found[text] = found[text] or { 0, last - first + 1 }
               found[text][1] = found[text][1] + 1
            end
         end
      end
      return found
   end

   -- Pairs of words in their order, fewer than `distance` apart, of those that `others` has.
   function utils.get_skip_bigrams(sentence, others, _, distance)
      local found = {}
      for first = 1, #sentence do
         if others[tostring(sentence[first])] then
            for last = first + 1, math.min(first + distance - 1, #sentence) do
               if others[tostring(sentence[last])] then found[sentence[first] .. sentence[last]] = 1 end
            end
         end
      end
      return found
   end

   -- For each length from 1 to n { runs in `these`, those of them that `others` has too }.
   local function matches(these, others, n)
      local results = {}
      for i = 1, n do results[i] = { 0, 0 } end
      for text, entry in pairs(utils.get_ngrams(these, n, 1)) do
         local result, other = results[entry[2]], others[text]
         result[1] = result[1] + entry[1]
         result[2] = result[2] + math.min(other and other[1] or 0, entry[1])
      end
      return results
   end

   function utils.get_ngram_prec(candidate, reference, n)
      return matches(candidate, utils.get_ngrams(reference, n, 1), n)
   end

   function utils.get_ngram_recall(candidate, reference, n)
      return matches(reference, utils.get_ngrams(candidate, n, 1), n)
   end

   -- The geometric mean of the precisions of runs up to n words, by default 4, smoothed where none is right, times a
   -- factor for candidates that are too short.
   function nn.get_bleu(candidate, reference, n)
      n = check.size('get_bleu', 'n', n or 4)
      candidate, reference = words_of('get_bleu', 'candidate', candidate), words_of('get_bleu', 'reference', reference)
      local smooth, product = 1, 1
      for _, result in ipairs(utils.get_ngram_prec(candidate, reference, n)) do
         if result[1] > 0 then
            if result[2] == 0 then
               smooth = smooth * 0.5
               result[2] = smooth
            end
            product = product * result[2] / result[1]
         end
      end
      return product ^ (1 / n) * math.exp(1 - math.max(1, #reference / #candidate))
   end

   -- The share of the reference's runs that the candidate has: of n words, by default 4, or weighed by length.
   function nn.get_rougeN(candidate, reference, n, weight)
      n = check.size('get_rougeN', 'n', n or 4)
      candidate = words_of('get_rougeN', 'candidate', candidate)
      reference = words_of('get_rougeN', 'reference', reference)
      if weight == nil or #weight == 0 then
         weight = {}
         for i = 1, n do weight[i] = i == n and 1 or 0 end
      end
      local sum, weights = 0, 0
      for i, result in ipairs(utils.get_ngram_recall(candidate, reference, n)) do
         sum = sum + result[2] / result[1] * weight[i]
         weights = weights + weight[i]
      end
      return sum / weights
   end

   -- The F measure of pairs of words, fewer than `distance` apart, by default anywhere.
   function nn.get_rougeS(candidate, reference, beta, distance)
      candidate = words_of('get_rougeS', 'candidate', candidate)
      reference = words_of('get_rougeS', 'reference', reference)
      beta = check.number('get_rougeS', 'beta', beta or 1) ^ 2
      distance = math.min(check.size('get_rougeS', 'distance', distance or #candidate), #candidate)
      local pairs_of = utils.get_skip_bigrams(candidate, utils.get_ngrams(reference, 1), 1, distance)
      local right = 0
      for text in pairs(utils.get_skip_bigrams(reference, utils.get_ngrams(candidate, 1), 1, distance)) do
         right = right + (pairs_of[text] or 0)
      end
      local function share(count) return right / ((distance - 1) * (2 * count - distance) / 2) end
      local a, b = share(#candidate), share(#reference)
      return (1 + beta) * a * b / (a + beta * b + 1e-8)
   end
end
