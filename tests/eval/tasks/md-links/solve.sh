sed -i 's|\[Installing\](install|[Installing](guide/install|; s|(settings.md#|(reference/settings.md#|; s|(knots|(guide/knots|g' docs/index.md
sed -i 's|(../knots|(knots|' docs/guide/rules.md
sed -i 's|(../install|(../guide/install|' docs/reference/settings.md
