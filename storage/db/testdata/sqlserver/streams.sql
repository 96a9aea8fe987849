DELETE FROM "search_stream_events"
  WHERE stream_id IN (SELECT "id"
  FROM "search_streams"
  WHERE expires_at <= @p1)

DELETE FROM "search_stream_events"
  WHERE tenant_id = @p1 AND stream_id = @p2 AND number < @p3

DELETE FROM "search_streams"
  WHERE expires_at <= @p1

MERGE INTO "search_stream_events" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4)) AS excluded ("stream_id","number","tenant_id","event")
  ON "search_stream_events"."stream_id" = "excluded"."stream_id" AND "search_stream_events"."number" = "excluded"."number"
  WHEN NOT MATCHED THEN INSERT ("stream_id","number","tenant_id","event")
  VALUES ("excluded"."stream_id","excluded"."number","excluded"."tenant_id","excluded"."event");

MERGE INTO "search_stream_events" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4),…) AS excluded ("stream_id","number","tenant_id","event")
  ON "search_stream_events"."stream_id" = "excluded"."stream_id" AND "search_stream_events"."number" = "excluded"."number"
  WHEN NOT MATCHED THEN INSERT ("stream_id","number","tenant_id","event")
  VALUES ("excluded"."stream_id","excluded"."number","excluded"."tenant_id","excluded"."event");

MERGE INTO "search_streams" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3,@p4,@p5,@p6,@p7,@p8,@p9)) AS excluded ("id","tenant_id","key_id","fingerprint","first_event","next_event","beat","ended","expires_at")
  ON "search_streams"."id" = "excluded"."id"
  WHEN MATCHED THEN UPDATE SET "first_event"="excluded"."first_event","next_event"="excluded"."next_event","beat"="excluded"."beat","ended"="excluded"."ended","expires_at"="excluded"."expires_at"
  WHEN NOT MATCHED THEN INSERT ("id","tenant_id","key_id","fingerprint","first_event","next_event","beat","ended","expires_at")
  VALUES ("excluded"."id","excluded"."tenant_id","excluded"."key_id","excluded"."fingerprint","excluded"."first_event","excluded"."next_event","excluded"."beat","excluded"."ended","excluded"."expires_at");

SELECT *
  FROM "search_stream_events"
  WHERE tenant_id = @p1 AND stream_id = @p2 AND number >= @p3
  ORDER BY number

SELECT *
  FROM "search_streams"
  WHERE tenant_id = @p1 AND id = @p2 AND key_id = @p3 AND expires_at > @p4
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY
