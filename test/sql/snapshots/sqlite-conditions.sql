-- text against text: title = 'a' || title != 'b' || title > 'c' || title ~ 'd' || title !~ 'e%'
(("posts"."title" = ?) OR ("posts"."title" IS NOT ?) OR ("posts"."title" > ?) OR ("posts"."title" LIKE ? ESCAPE '\') OR ("posts"."title" NOT LIKE ? ESCAPE '\'))
-- ["a","b","c","%d%","e%"]

-- text against number: title = 5 || title < 5
(("posts"."title" = ?) OR ("posts"."title" < ?))
-- ["5","5"]

-- number against number and text: total = 5 || total != '5' || total > 'x' || total < 5
(("posts"."total" = ?) OR ("posts"."total" IS NOT ?) OR ("posts"."total" > ?) OR ("posts"."total" < ?))
-- [5,5,"x",5]

-- bool and date: done = true || done != false || day > '2025-01-31T10:00:00+01:00' || day = @todayStart
(("posts"."done" = ?) OR ("posts"."done" IS NOT ?) OR ("posts"."day" > ?) OR ("posts"."day" = ?))
-- [1,0,"2025-01-31 09:00:00.000Z","2026-03-04 00:00:00.000Z"]

-- empty values: title = '' || title != null || total = '' || data.x = '' || data.x != null || place != ''
(("posts"."title" = '') OR ("posts"."title" IS NOT '') OR ("posts"."total" IS NULL) OR (json_extract(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?) IS ?) OR (json_extract(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?) IS NOT NULL) OR ("posts"."place" IS NOT ''))
-- ["$.\"x\"","","$.\"x\""]

-- columns of one class: title = author || total = done || title != author
((COALESCE("posts"."title", '') = COALESCE("posts"."author", '')) OR (COALESCE("posts"."total", '') = COALESCE("posts"."done", '')) OR (COALESCE("posts"."title", '') IS NOT COALESCE("posts"."author", '')))
-- []

-- columns of different classes: title = total || total != day || title > total
((COALESCE("posts"."title", '') = COALESCE("posts"."total", '')) OR (COALESCE("posts"."total", '') IS NOT COALESCE("posts"."day", '')) OR ("posts"."title" > "posts"."total"))
-- []

-- JSON: data.a.0 = 5 || data.a != 'x' || data > 1 || data.a = title || data = total
((json_extract(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?) IS ?) OR (json_extract(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?) IS NOT ?) OR (json_extract(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?) > ?) OR (CAST(json_extract(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?) AS TEXT) IS "posts"."title") OR (json_extract(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?) IS "posts"."total"))
-- ["$.\"a\"[0]",5,"$.\"a\"","x","$",1,"$.\"a\"","$"]

-- modifiers: title:lower = 'a' || labels:length > 1 || author:length = 1 || data.list:length = 2
((LOWER("posts"."title") = ?) OR (json_array_length(CASE WHEN json_valid("posts"."labels") AND json_type("posts"."labels") = 'array' THEN "posts"."labels" WHEN "posts"."labels" <> '' THEN json_array("posts"."labels") ELSE '[]' END) > ?) OR (CASE WHEN ("posts"."author" > '') THEN 1 ELSE 0 END = ?) OR (COALESCE(json_array_length(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?), 0) = ?))
-- ["a",1,1,"$.\"list\"",2]

-- items in turn: labels:each = 'a' || data.list:each ?= 5
(((NOT EXISTS (SELECT 1 FROM (SELECT CAST("row 3"."value" AS TEXT) AS "value" FROM (SELECT 1) AS "row 4" LEFT JOIN json_each(CASE WHEN json_valid("posts"."labels") AND json_type("posts"."labels") = 'array' THEN "posts"."labels" WHEN "posts"."labels" <> '' THEN json_array("posts"."labels") ELSE '[]' END) AS "row 3" ON TRUE) AS "set 2" WHERE (NOT ("set 2"."value" = ?)))) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 6" LEFT JOIN json_each(CASE WHEN json_valid("posts"."labels") AND json_type("posts"."labels") = 'array' THEN "posts"."labels" WHEN "posts"."labels" <> '' THEN json_array("posts"."labels") ELSE '[]' END) AS "row 1" ON TRUE WHERE (CAST("row 1"."value" AS TEXT) = ?))) OR EXISTS (SELECT 1 FROM (SELECT 1) AS "row 7" LEFT JOIN json_each(CASE WHEN json_type(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?) = 'array' THEN json_extract(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?) ELSE json_array(json_extract(CASE WHEN json_valid("posts"."data") THEN "posts"."data" ELSE json_quote("posts"."data") END, ?)) END) AS "row 5" ON TRUE WHERE ("row 5"."value" IS ?)))
-- ["a","a","$.\"list\"","$.\"list\"","$.\"list\"",5]

-- items as a whole: labels ?= 'a' && labels ?!= 'b' && labels ~ 'c'
(EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid("posts"."labels") AND json_type("posts"."labels") = 'array' THEN "posts"."labels" WHEN "posts"."labels" <> '' THEN json_array("posts"."labels") ELSE '[]' END) AS "item 1" WHERE (CAST("item 1"."value" AS TEXT) = ?)) AND EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid("posts"."labels") AND json_type("posts"."labels") = 'array' THEN "posts"."labels" WHEN "posts"."labels" <> '' THEN json_array("posts"."labels") ELSE '[]' END) AS "item 2" WHERE (CAST("item 2"."value" AS TEXT) IS NOT ?)) AND ("posts"."labels" LIKE ? ESCAPE '\'))
-- ["a","b","%c%"]

-- single relation: author.name = 'x' && author.org.name != 'y' && author.id = 'z'
(("posts"."author" = ?) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 4" LEFT JOIN "users" AS "row 1" ON ("row 1"."id" = "posts"."author") WHERE (("row 1"."name" = ?) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 3" LEFT JOIN "users" AS "row 2" ON ("row 2"."id" = "row 1"."org") WHERE ("row 2"."name" IS NOT ?)))))
-- ["z","x","y"]

-- multiple relation: tags.name ?= 'x' && tags:each ?= 'y' && tags.id ?!= title
EXISTS (SELECT 1 FROM (SELECT 1) AS "row 3" LEFT JOIN json_each(CASE WHEN json_valid("posts"."tags") AND json_type("posts"."tags") = 'array' THEN "posts"."tags" WHEN "posts"."tags" <> '' THEN json_array("posts"."tags") ELSE '[]' END) AS "row 2" ON TRUE LEFT JOIN "tags" AS "row 1" ON ("row 1"."id" = "row 2"."value") WHERE (("row 1"."name" = ?) AND (CAST("row 2"."value" AS TEXT) = ?) AND (COALESCE("row 1"."id", '') IS NOT COALESCE("posts"."title", ''))))
-- ["x","y"]

-- all of several: tags.name = 'x' && tags.name != labels:each
((NOT EXISTS (SELECT 1 FROM (SELECT "row 3"."name" AS "value" FROM (SELECT 1) AS "row 5" LEFT JOIN "tags" AS "row 3" ON ("row 3"."id" IN (SELECT "item 4"."value" AS "value" FROM json_each(CASE WHEN json_valid("posts"."tags") AND json_type("posts"."tags") = 'array' THEN "posts"."tags" WHEN "posts"."tags" <> '' THEN json_array("posts"."tags") ELSE '[]' END) AS "item 4"))) AS "set 2" WHERE (NOT ("set 2"."value" = ?)))) AND (NOT EXISTS (SELECT 1 FROM (SELECT "row 8"."name" AS "value" FROM (SELECT 1) AS "row 10" LEFT JOIN "tags" AS "row 8" ON ("row 8"."id" IN (SELECT "item 9"."value" AS "value" FROM json_each(CASE WHEN json_valid("posts"."tags") AND json_type("posts"."tags") = 'array' THEN "posts"."tags" WHEN "posts"."tags" <> '' THEN json_array("posts"."tags") ELSE '[]' END) AS "item 9"))) AS "set 7" CROSS JOIN (SELECT CAST("row 12"."value" AS TEXT) AS "value" FROM (SELECT 1) AS "row 13" LEFT JOIN json_each(CASE WHEN json_valid("posts"."labels") AND json_type("posts"."labels") = 'array' THEN "posts"."labels" WHEN "posts"."labels" <> '' THEN json_array("posts"."labels") ELSE '[]' END) AS "row 12" ON TRUE) AS "set 11" WHERE (NOT (COALESCE("set 7"."value", '') IS NOT COALESCE("set 11"."value", ''))))) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 16" LEFT JOIN "tags" AS "row 1" ON ("row 1"."id" IN (SELECT "item 14"."value" AS "value" FROM json_each(CASE WHEN json_valid("posts"."tags") AND json_type("posts"."tags") = 'array' THEN "posts"."tags" WHEN "posts"."tags" <> '' THEN json_array("posts"."tags") ELSE '[]' END) AS "item 14")) WHERE (("row 1"."name" = ?) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 15" LEFT JOIN json_each(CASE WHEN json_valid("posts"."labels") AND json_type("posts"."labels") = 'array' THEN "posts"."labels" WHEN "posts"."labels" <> '' THEN json_array("posts"."labels") ELSE '[]' END) AS "row 6" ON TRUE WHERE (COALESCE("row 1"."name", '') IS NOT COALESCE(CAST("row 6"."value" AS TEXT), ''))))))
-- ["x","x"]

-- back-relations: comments_via_post.text ?~ 'x' || comments_via_posts.text ?= 'y'
(EXISTS (SELECT 1 FROM (SELECT 1) AS "row 4" LEFT JOIN "comments" AS "row 1" ON ("row 1"."post" = "posts"."id") WHERE ("row 1"."text" LIKE ? ESCAPE '\')) OR EXISTS (SELECT 1 FROM (SELECT 1) AS "row 5" LEFT JOIN "comments" AS "row 2" ON ("posts"."id" IN (SELECT "item 3"."value" AS "value" FROM json_each(CASE WHEN json_valid("row 2"."posts") AND json_type("row 2"."posts") = 'array' THEN "row 2"."posts" WHEN "row 2"."posts" <> '' THEN json_array("row 2"."posts") ELSE '[]' END) AS "item 3")) WHERE ("row 2"."text" = ?)))
-- ["%x%","y"]

-- collections: @collection.tags.name ?= title && @collection.tags:other.id ?= author
(EXISTS (SELECT 1 FROM (SELECT 1) AS "row 3" LEFT JOIN "tags" AS "row 1" ON TRUE WHERE (COALESCE("row 1"."name", '') = COALESCE("posts"."title", ''))) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 4" LEFT JOIN "tags" AS "row 2" ON TRUE WHERE (COALESCE("row 2"."id", '') = COALESCE("posts"."author", ''))))
-- []

-- caller: @request.auth.id != "" && author = @request.auth.id && author.org = @request.auth.org.name
(("posts"."author" = ?) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 3" LEFT JOIN "users" AS "row 1" ON ("row 1"."id" = "posts"."author") LEFT JOIN "users" AS "row 2" ON ("row 2"."id" = ?) WHERE (COALESCE("row 1"."org", '') = COALESCE("row 2"."name", ''))))
-- ["ann","acme"]

-- request: @request.query.q ~ title && total > @request.query.n && @request.body.tags.name ?= title
((? LIKE (CASE WHEN octet_length("posts"."title") <= 49998 THEN '%' || "posts"."title" || '%' END) ESCAPE '\') AND ("posts"."total" > ?) AND EXISTS (SELECT 1 FROM (SELECT 1) AS "row 3" LEFT JOIN "tags" AS "row 1" ON ("row 1"."id" IN (SELECT "item 2"."value" AS "value" FROM json_each(?) AS "item 2")) WHERE (COALESCE("row 1"."name", '') = COALESCE("posts"."title", ''))))
-- ["q",5,"[\"t\"]"]

-- body: @request.body.title:changed = true || @request.body.title:isset = false || @request.body.labels:each ?= title
((((? = 1) AND (? IS NOT "posts"."title")) IS ?) OR (? IS ?) OR EXISTS (SELECT 1 FROM (SELECT 1) AS "row 2" LEFT JOIN json_each(?) AS "row 1" ON TRUE WHERE (COALESCE(CAST("row 1"."value" AS TEXT), '') = COALESCE("posts"."title", ''))))
-- [1,"T",1,1,0,"[\"a\"]"]

-- functions: geoDistance(place.lon, place.lat, 1, 2.5) < 3 || strftime('%Y', day) = '2026'
((CASE WHEN radians(json_extract(CASE WHEN json_valid("posts"."place") THEN "posts"."place" ELSE json_quote("posts"."place") END, ?)) = radians(?) AND radians(json_extract(CASE WHEN json_valid("posts"."place") THEN "posts"."place" ELSE json_quote("posts"."place") END, ?)) = radians(?) THEN 0 ELSE 6371 * acos(max(-1.0, min(1.0, cos(radians(json_extract(CASE WHEN json_valid("posts"."place") THEN "posts"."place" ELSE json_quote("posts"."place") END, ?))) * cos(radians(?)) * cos(radians(?) - radians(json_extract(CASE WHEN json_valid("posts"."place") THEN "posts"."place" ELSE json_quote("posts"."place") END, ?))) + sin(radians(json_extract(CASE WHEN json_valid("posts"."place") THEN "posts"."place" ELSE json_quote("posts"."place") END, ?))) * sin(radians(?))))) END < ?) OR (strftime(?, "posts"."day") = ?))
-- ["$.\"lon\"",1,"$.\"lat\"",2.5,"$.\"lat\"",2.5,1,"$.\"lon\"","$.\"lat\"",2.5,3,"%Y","2026"]
