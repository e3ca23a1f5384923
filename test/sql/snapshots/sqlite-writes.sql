-- insert
INSERT INTO "notes" ("id", "te""xt", "list") VALUES (?, ?, ?), (?, ?, ?) RETURNING "notes"."id" AS "id"
-- update
UPDATE "notes" SET "te""xt" = ?, "total" = ? WHERE (("notes"."id" = ?) AND ("notes"."te""xt" = ?))
-- delete of some
DELETE FROM "notes" WHERE ("notes"."id" IN (?, ?)) RETURNING "notes"."id" AS "id"
-- delete of none
DELETE FROM "notes" WHERE FALSE
-- delete of all
DELETE FROM "notes"
-- texts but for the case
SELECT substr("notes"."te""xt", 1, 13) AS "hour" FROM "notes" WHERE ("notes"."te""xt" = ? COLLATE NOCASE) LIMIT 1
