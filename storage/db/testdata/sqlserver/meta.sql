MERGE INTO "meta" WITH (HOLDLOCK)
  USING (VALUES (@p1,@p2,@p3)) AS excluded ("tenant_id","name","content")
  ON "meta"."tenant_id" = "excluded"."tenant_id" AND "meta"."name" = "excluded"."name"
  WHEN NOT MATCHED THEN INSERT ("tenant_id","name","content")
  VALUES ("excluded"."tenant_id","excluded"."name","excluded"."content");

SELECT *
  FROM "meta"
  WHERE tenant_id = @p1 AND name = @p2
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY
