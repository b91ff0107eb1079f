-- The classes of rnn.

return {
   -- Steps
   { 'SAdd', 'Module' },
   { 'LinearNoBias', 'Linear', takes = 'size size' },
   { 'AbstractRecurrent', 'Container' },
   { 'Recursor', 'AbstractRecurrent' },
   { 'Recurrent', 'AbstractRecurrent' },
   { 'Recurrence', 'AbstractRecurrent' },
   { 'LSTM', 'AbstractRecurrent' },
   { 'FastLSTM', 'LSTM' },
   { 'GRU', 'AbstractRecurrent' },
   { 'MuFuRu', 'GRU' },
   { 'NormStabilizer', 'AbstractRecurrent' },
   -- Sequences
   { 'AbstractSequencer', 'Container' },
   { 'Sequencer', 'AbstractSequencer' },
   { 'Repeater', 'AbstractSequencer' },
   { 'BiSequencer', 'AbstractSequencer' },
   { 'BiSequencerLM', 'AbstractSequencer' },
   { 'RecurrentAttention', 'AbstractSequencer' },
   { 'SequencerCriterion', 'Criterion' },
   { 'RepeaterCriterion', 'Criterion', 'SequencerCriterion' },
   { 'SeqReverseSequence', 'Module' },
   { 'SeqLSTM', 'Module' },
   { 'SeqLSTMP', 'SeqLSTM' },
   { 'SeqGRU', 'Module' },
   { 'SeqBRNN', 'Container' },
   -- Masks
   { 'MaskZero', 'Decorator' },
   { 'TrimZero', 'MaskZero' },
   { 'LookupTableMaskZero', 'LookupTable', takes = 'size size number? number? number?' },
   { 'MaskZeroCriterion', 'Criterion' },
}
