/** The playground. */
export const playground = {
  codeIn: (language: string) => (language === "" ? "Code" : `Code (${language})`),
  table: "Table",
  linkedImage: (description: string) => (description === "" ? "Image" : `Image: ${description}`),
};
