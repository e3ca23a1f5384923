-- text against text: title = 'a' || title != 'b' || title > 'c' || title ~ 'd' || title !~ 'e%'
(("posts"."title" = $1::text) OR ("posts"."title" IS DISTINCT FROM $2::text) OR ("posts"."title" COLLATE "C" > $3::text) OR ("posts"."title" COLLATE "C" ILIKE $4::text ESCAPE '\') OR ("posts"."title" COLLATE "C" NOT ILIKE $5::text ESCAPE '\'))
-- ["a","b","c","%d%","e%"]

-- text against number: title = 5 || title < 5
(("posts"."title" = $1::text) OR ("posts"."title" COLLATE "C" < $2::text))
-- ["5","5"]

-- number against number and text: total = 5 || total != '5' || total > 'x' || total < 5
(("posts"."total" = $1::double precision) OR ("posts"."total" IS DISTINCT FROM $2::double precision) OR (CASE WHEN "posts"."total" IS NOT NULL AND $3::text IS NOT NULL THEN FALSE END) OR ("posts"."total" < $4::double precision))
-- [5,5,"x",5]

-- bool and date: done = true || done != false || day > '2025-01-31T10:00:00+01:00' || day = @todayStart
((("posts"."done")::int = $1::double precision) OR (("posts"."done")::int IS DISTINCT FROM $2::double precision) OR ("posts"."day" COLLATE "C" > $3::text) OR ("posts"."day" = $4::text))
-- [1,0,"2025-01-31 09:00:00.000Z","2026-03-04 00:00:00.000Z"]

-- empty values: title = '' || title != null || total = '' || data.x = '' || data.x != null || place != ''
(("posts"."title" = '') OR ("posts"."title" IS DISTINCT FROM '') OR ("posts"."total" IS NULL) OR (roost_json(jsonb_path_query_first(to_jsonb("posts"."data"), $1::jsonpath, '{}', TRUE)) IS NOT DISTINCT FROM to_jsonb($2::text)) OR (roost_json(jsonb_path_query_first(to_jsonb("posts"."data"), $3::jsonpath, '{}', TRUE)) IS DISTINCT FROM NULL::jsonb) OR (('{"lon":' || ("posts"."place" ->> 'lon') || ',"lat":' || ("posts"."place" ->> 'lat') || '}') IS DISTINCT FROM ''))
-- ["strict $.\"x\"","","strict $.\"x\""]

-- columns of one class: title = author || total = done || title != author
((COALESCE("posts"."title", '') = COALESCE("posts"."author", '')) OR ("posts"."total" IS NOT DISTINCT FROM ("posts"."done")::int) OR (COALESCE("posts"."title", '') IS DISTINCT FROM COALESCE("posts"."author", '')))
-- []

-- columns of different classes: title = total || total != day || title > total
(((COALESCE("posts"."title", '') = '' AND "posts"."total" IS NULL)) OR (NOT ("posts"."total" IS NULL AND COALESCE("posts"."day", '') = '')) OR (CASE WHEN "posts"."title" ~ '^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$' THEN ("posts"."title")::double precision > "posts"."total" ELSE CASE WHEN "posts"."title" IS NOT NULL AND "posts"."total" IS NOT NULL THEN TRUE END END))
-- []

-- JSON: data.a.0 = 5 || data.a != 'x' || data > 1 || data.a = title || data = total
((roost_json(jsonb_path_query_first(to_jsonb("posts"."data"), $1::jsonpath, '{}', TRUE)) IS NOT DISTINCT FROM to_jsonb($2::double precision)) OR (roost_json(jsonb_path_query_first(to_jsonb("posts"."data"), $3::jsonpath, '{}', TRUE)) IS DISTINCT FROM to_jsonb($4::text)) OR (roost_json_order(roost_json(jsonb_path_query_first(to_jsonb("posts"."data"), $5::jsonpath, '{}', TRUE))) COLLATE "C" > roost_json_order(to_jsonb($6::double precision))) OR ((roost_json(jsonb_path_query_first(to_jsonb("posts"."data"), $7::jsonpath, '{}', TRUE)) #>> '{}') IS NOT DISTINCT FROM "posts"."title") OR (roost_json(jsonb_path_query_first(to_jsonb("posts"."data"), $8::jsonpath, '{}', TRUE)) IS NOT DISTINCT FROM to_jsonb("posts"."total")))
-- ["strict $.\"a\"[0]",5,"strict $.\"a\"","x","strict $",1,"strict $.\"a\"","strict $"]

-- modifiers: title:lower = 'a' || labels:length > 1 || author:length = 1 || data.list:length = 2
((LOWER("posts"."title" COLLATE "C") = $1::text) OR (COALESCE(jsonb_array_length("posts"."labels"), 0) > $2::double precision) OR (CASE WHEN ("posts"."author" COLLATE "C" > '') THEN 1 ELSE 0 END = $3::double precision) OR (CASE WHEN jsonb_typeof(jsonb_path_query_first(to_jsonb("posts"."data"), $4::jsonpath, '{}', TRUE)) = 'array' THEN jsonb_array_length(jsonb_path_query_first(to_jsonb("posts"."data"), $5::jsonpath, '{}', TRUE)) ELSE 0 END = $6::double precision))
-- ["a",1,1,"strict $.\"list\"","strict $.\"list\"",2]

-- items in turn: labels:each = 'a' || data.list:each ?= 5
(((NOT EXISTS (SELECT 1 FROM (SELECT "row 3"."value" AS "value" FROM (SELECT 1) AS "row 4" LEFT JOIN LATERAL jsonb_array_elements_text("posts"."labels") AS "row 3"("value") ON TRUE) AS "set 2" WHERE (NOT ("set 2"."value" = $1::text)))) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 6" LEFT JOIN LATERAL jsonb_array_elements_text("posts"."labels") AS "row 1"("value") ON TRUE WHERE ("row 1"."value" = $2::text))) OR EXISTS (SELECT 1 FROM (SELECT 1) AS "row 7" LEFT JOIN LATERAL jsonb_array_elements(CASE WHEN jsonb_typeof(to_jsonb(jsonb_path_query_first(to_jsonb("posts"."data"), $3::jsonpath, '{}', TRUE))) = 'array' THEN to_jsonb(jsonb_path_query_first(to_jsonb("posts"."data"), $4::jsonpath, '{}', TRUE)) ELSE jsonb_build_array(to_jsonb(jsonb_path_query_first(to_jsonb("posts"."data"), $5::jsonpath, '{}', TRUE))) END) AS "row 5"("value") ON TRUE WHERE (roost_json("row 5"."value") IS NOT DISTINCT FROM to_jsonb($6::double precision))))
-- ["a","a","strict $.\"list\"","strict $.\"list\"","strict $.\"list\"",5]

-- items as a whole: labels ?= 'a' && labels ?!= 'b' && labels ~ 'c'
(EXISTS (SELECT 1 FROM LATERAL jsonb_array_elements_text("posts"."labels") AS "item 1"("value") WHERE ("item 1"."value" = $1::text)) AND EXISTS (SELECT 1 FROM LATERAL jsonb_array_elements_text("posts"."labels") AS "item 2"("value") WHERE ("item 2"."value" IS DISTINCT FROM $2::text)) AND (roost_json_text("posts"."labels") COLLATE "C" ILIKE $3::text ESCAPE '\'))
-- ["a","b","%c%"]

-- single relation: author.name = 'x' && author.org.name != 'y' && author.id = 'z'
(("posts"."author" = $1::text) AND EXISTS (SELECT 1 FROM "users" AS "row 1" WHERE (("row 1"."id" = "posts"."author") AND (("row 1"."name" = $2::text) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 3" LEFT JOIN "users" AS "row 2" ON ("row 2"."id" = "row 1"."org") WHERE ("row 2"."name" IS DISTINCT FROM $3::text))))))
-- ["z","x","y"]

-- multiple relation: tags.name ?= 'x' && tags:each ?= 'y' && tags.id ?!= title
EXISTS (SELECT 1 FROM (SELECT 1) AS "row 3" LEFT JOIN LATERAL jsonb_array_elements_text("posts"."tags") AS "row 2"("value") ON TRUE LEFT JOIN "tags" AS "row 1" ON ("row 1"."id" = "row 2"."value") WHERE (("row 1"."name" = $1::text) AND ("row 2"."value" = $2::text) AND (COALESCE("row 1"."id", '') IS DISTINCT FROM COALESCE("posts"."title", ''))))
-- ["x","y"]

-- all of several: tags.name = 'x' && tags.name != labels:each
((NOT EXISTS (SELECT 1 FROM (SELECT "row 3"."name" AS "value" FROM (SELECT 1) AS "row 5" LEFT JOIN "tags" AS "row 3" ON ("row 3"."id" = ANY (ARRAY(SELECT "item 4"."value" AS "value" FROM LATERAL jsonb_array_elements_text("posts"."tags") AS "item 4"("value"))))) AS "set 2" WHERE (NOT ("set 2"."value" = $1::text)))) AND (NOT EXISTS (SELECT 1 FROM (SELECT "row 8"."name" AS "value" FROM (SELECT 1) AS "row 10" LEFT JOIN "tags" AS "row 8" ON ("row 8"."id" = ANY (ARRAY(SELECT "item 9"."value" AS "value" FROM LATERAL jsonb_array_elements_text("posts"."tags") AS "item 9"("value"))))) AS "set 7" CROSS JOIN (SELECT "row 12"."value" AS "value" FROM (SELECT 1) AS "row 13" LEFT JOIN LATERAL jsonb_array_elements_text("posts"."labels") AS "row 12"("value") ON TRUE) AS "set 11" WHERE (NOT (COALESCE("set 7"."value", '') IS DISTINCT FROM COALESCE("set 11"."value", ''))))) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 16" LEFT JOIN "tags" AS "row 1" ON ("row 1"."id" = ANY (ARRAY(SELECT "item 14"."value" AS "value" FROM LATERAL jsonb_array_elements_text("posts"."tags") AS "item 14"("value")))) WHERE (("row 1"."name" = $2::text) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 15" LEFT JOIN LATERAL jsonb_array_elements_text("posts"."labels") AS "row 6"("value") ON TRUE WHERE (COALESCE("row 1"."name", '') IS DISTINCT FROM COALESCE("row 6"."value", ''))))))
-- ["x","x"]

-- back-relations: comments_via_post.text ?~ 'x' || comments_via_posts.text ?= 'y'
(EXISTS (SELECT 1 FROM (SELECT 1) AS "row 4" LEFT JOIN "comments" AS "row 1" ON ("row 1"."post" = "posts"."id") WHERE ("row 1"."text" COLLATE "C" ILIKE $1::text ESCAPE '\')) OR EXISTS (SELECT 1 FROM (SELECT 1) AS "row 5" LEFT JOIN "comments" AS "row 2" ON ("posts"."id" = ANY (ARRAY(SELECT "item 3"."value" AS "value" FROM LATERAL jsonb_array_elements_text("row 2"."posts") AS "item 3"("value")))) WHERE ("row 2"."text" = $2::text)))
-- ["%x%","y"]

-- collections: @collection.tags.name ?= title && @collection.tags:other.id ?= author
(EXISTS (SELECT 1 FROM (SELECT 1) AS "row 3" LEFT JOIN "tags" AS "row 1" ON TRUE WHERE (COALESCE("row 1"."name", '') = COALESCE("posts"."title", ''))) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 4" LEFT JOIN "tags" AS "row 2" ON TRUE WHERE (COALESCE("row 2"."id", '') = COALESCE("posts"."author", ''))))
-- []

-- caller: @request.auth.id != "" && author = @request.auth.id && author.org = @request.auth.org.name
(("posts"."author" = $1::text) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 3" LEFT JOIN "users" AS "row 1" ON ("row 1"."id" = "posts"."author") LEFT JOIN "users" AS "row 2" ON ("row 2"."id" = $2::text) WHERE (COALESCE("row 1"."org", '') = COALESCE("row 2"."name", ''))))
-- ["ann","acme"]

-- request: @request.query.q ~ title && total > @request.query.n && @request.body.tags.name ?= title
(($1::text COLLATE "C" ILIKE ('%' || "posts"."title" || '%') ESCAPE '\') AND ("posts"."total" > $2::double precision) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 3" LEFT JOIN "tags" AS "row 1" ON ("row 1"."id" = ANY (ARRAY(SELECT "item 2"."value" AS "value" FROM LATERAL jsonb_array_elements_text($3::jsonb) AS "item 2"("value")))) WHERE (COALESCE("row 1"."name", '') = COALESCE("posts"."title", ''))))
-- ["q",5,"[\"t\"]"]

-- body: @request.body.title:changed = true || @request.body.title:isset = false || @request.body.labels:each ?= title
((((($1::double precision = 1) AND ($2::text IS DISTINCT FROM "posts"."title")))::int IS NOT DISTINCT FROM $3::double precision) OR ($4::double precision IS NOT DISTINCT FROM $5::double precision) OR EXISTS (SELECT 1 FROM (SELECT 1) AS "row 2" LEFT JOIN LATERAL jsonb_array_elements($6::jsonb) AS "row 1"("value") ON TRUE WHERE (COALESCE((roost_json("row 1"."value") #>> '{}'), '') = COALESCE("posts"."title", ''))))
-- [1,"T",1,1,0,"[\"a\"]"]

-- functions: geoDistance(place.lon, place.lat, 1, 2.5) < 3 || strftime('%Y', day) = '2026'
((CASE WHEN radians(CASE WHEN jsonb_typeof(jsonb_path_query_first(to_jsonb("posts"."place"), $1::jsonpath, '{}', TRUE)) = 'number' THEN (jsonb_path_query_first(to_jsonb("posts"."place"), $2::jsonpath, '{}', TRUE))::double precision END) = radians($3::double precision) AND radians(CASE WHEN jsonb_typeof(jsonb_path_query_first(to_jsonb("posts"."place"), $4::jsonpath, '{}', TRUE)) = 'number' THEN (jsonb_path_query_first(to_jsonb("posts"."place"), $5::jsonpath, '{}', TRUE))::double precision END) = radians($6::double precision) THEN 0 WHEN radians(CASE WHEN jsonb_typeof(jsonb_path_query_first(to_jsonb("posts"."place"), $7::jsonpath, '{}', TRUE)) = 'number' THEN (jsonb_path_query_first(to_jsonb("posts"."place"), $8::jsonpath, '{}', TRUE))::double precision END) + radians(CASE WHEN jsonb_typeof(jsonb_path_query_first(to_jsonb("posts"."place"), $9::jsonpath, '{}', TRUE)) = 'number' THEN (jsonb_path_query_first(to_jsonb("posts"."place"), $10::jsonpath, '{}', TRUE))::double precision END) + radians($11::double precision) + radians($12::double precision) IS NOT NULL THEN 6371 * acos(GREATEST(-1, LEAST(1, cos(radians(CASE WHEN jsonb_typeof(jsonb_path_query_first(to_jsonb("posts"."place"), $13::jsonpath, '{}', TRUE)) = 'number' THEN (jsonb_path_query_first(to_jsonb("posts"."place"), $14::jsonpath, '{}', TRUE))::double precision END)) * cos(radians($15::double precision)) * cos(radians($16::double precision) - radians(CASE WHEN jsonb_typeof(jsonb_path_query_first(to_jsonb("posts"."place"), $17::jsonpath, '{}', TRUE)) = 'number' THEN (jsonb_path_query_first(to_jsonb("posts"."place"), $18::jsonpath, '{}', TRUE))::double precision END)) + sin(radians(CASE WHEN jsonb_typeof(jsonb_path_query_first(to_jsonb("posts"."place"), $19::jsonpath, '{}', TRUE)) = 'number' THEN (jsonb_path_query_first(to_jsonb("posts"."place"), $20::jsonpath, '{}', TRUE))::double precision END)) * sin(radians($21::double precision))))) END < $22::double precision) OR (roost_strftime($23::text, "posts"."day") = $24::text))
-- ["strict $.\"lon\"","strict $.\"lon\"",1,"strict $.\"lat\"","strict $.\"lat\"",2.5,"strict $.\"lon\"","strict $.\"lon\"","strict $.\"lat\"","strict $.\"lat\"",1,2.5,"strict $.\"lat\"","strict $.\"lat\"",2.5,1,"strict $.\"lon\"","strict $.\"lon\"","strict $.\"lat\"","strict $.\"lat\"",2.5,3,"%Y","2026"]
