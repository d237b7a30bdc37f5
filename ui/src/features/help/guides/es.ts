export default import.meta.glob<string>("./es/**/*.md", { query: "?raw", import: "default", eager: true });
