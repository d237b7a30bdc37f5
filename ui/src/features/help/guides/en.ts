export default import.meta.glob<string>("./en/**/*.md", { query: "?raw", import: "default", eager: true });
