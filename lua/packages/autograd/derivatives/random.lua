-- Random numbers do not depend on what was in the tensor.

local rows = {}
for name in string.gmatch([[random uniform normal exponential cauchy logNormal geometric bernoulli rand randn randperm
   multinomial multinomialAliasSetup_ multinomialAlias_]], '[%w_]+') do
   rows[#rows + 1] = { name, constant = true }
end
return rows
