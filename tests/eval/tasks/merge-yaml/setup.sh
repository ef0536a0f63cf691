git checkout -qb staging
sed -i 's/web:1.4/web:1.5/; 0,/replicas: 2/s//replicas: 3/; 0,/memory_mb: 256/s//memory_mb: 384/' services.yaml
sed -i 's/  memory_mb: 512/  memory_mb: 768\n  env:\n    QUEUE: default/' services.yaml
git commit -qam "Version 1.5 of web, more of everything, a queue by name"
git checkout -q main
sed -i '0,/replicas: 2/s//replicas: 4/; 0,/memory_mb: 256/s//memory_mb: 320/; s/  port: 8080/  port: 8080     # behind the proxy\n  health: \/ready/' services.yaml
sed -i 's/worker:1.4/worker:1.4.2/; s/  memory_mb: 512/  memory_mb: 640\n  stop_seconds: 30/' services.yaml
git commit -qam "Health checks, 1.4.2 of worker, room for the sale"
git merge staging >/dev/null || true
