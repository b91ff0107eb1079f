-- The records of .t7 files: a tag, which is an int, and contents. This table is the only list of the tags:
-- t7shell/t7file/model.py parses its rows as text, so each row stays on one line.
--
-- An indexed record has an index, an int, before its contents. If the index occurred before in the file, the record
-- ends there and refers to the earlier object. The contents, in order:
--
--    NIL              nothing
--    NUMBER           a double
--    STRING           its length, an int, and its bytes
--    TABLE            the number of entries, an int; for each the records of key and value
--    TORCH            'V 1' and the class name, as strings without tag; then the contents by the class: its table of
--                     fields unless it has a write method, sizes, strides and the storage's record for a tensor
--    BOOLEAN          an int, 0 or 1
--    PLAIN_FUNCTION   bytecode, as a string without tag, and the table of upvalues, by value
--    OLD_FUNCTION     the same
--    FUNCTION         the same; upvalues are tables with the fields name, id and value
return {
   { name = 'NIL', tag = 0 },
   { name = 'NUMBER', tag = 1 },
   { name = 'STRING', tag = 2 },
   { name = 'TABLE', tag = 3, indexed = true },
   { name = 'TORCH', tag = 4, indexed = true },
   { name = 'BOOLEAN', tag = 5 },
   { name = 'PLAIN_FUNCTION', tag = 6 },
   { name = 'OLD_FUNCTION', tag = 7, indexed = true },
   { name = 'FUNCTION', tag = 8, indexed = true },
}
