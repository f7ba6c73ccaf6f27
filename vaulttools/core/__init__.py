"""The pipeline all tools share; knows no tool and no face."""
