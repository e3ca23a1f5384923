-- insert
INSERT INTO "notes" ("id", "te""xt", "list") VALUES ($1::text, $2::text, $3::jsonb), ($4::text, $5::text, $6::jsonb) RETURNING "notes"."id" AS "id"
-- update
UPDATE "notes" SET "te""xt" = $1::text, "total" = $2::double precision WHERE (("notes"."id" = $3::text) AND ("notes"."te""xt" = $4::text))
-- delete of some
DELETE FROM "notes" WHERE ("notes"."id" IN ($1::text, $2::text)) RETURNING "notes"."id" AS "id"
-- delete of none
DELETE FROM "notes" WHERE FALSE
-- delete of all
DELETE FROM "notes"
-- texts but for the case
SELECT substr("notes"."te""xt", 1, 13) AS "hour" FROM "notes" WHERE (LOWER("notes"."te""xt" COLLATE "C") = LOWER($1::text COLLATE "C")) LIMIT 1
