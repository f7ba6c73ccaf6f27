"""What `survey`, `scout`, `sample` and `show` share: counting, clusters, rows, closing lines."""
