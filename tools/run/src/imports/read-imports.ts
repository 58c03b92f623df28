import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

export interface Project {
  /** Its directory below the root, such as `libs/money`. */
  readonly directory: string;
  readonly name: string;
  readonly tags: readonly string[];
}

export interface Import {
  /** Both below the root. */
  readonly from: string;
  readonly to: string;
}

const SOURCE_FOLDERS = ['src', 'testing'];

export function readProjects(root: string): Project[] {
  return ['apps', 'libs', 'tools'].flatMap((kind) =>
    readdirSync(join(root, kind))
      .filter((name) => existsSync(join(root, kind, name, 'package.json')))
      .map((name) => {
        const directory = `${kind}/${name}`;
        const { name: packageName, nx } = JSON.parse(
          readFileSync(join(root, directory, 'package.json'), 'utf8'),
        ) as { name: string; nx?: { tags?: string[] } };
        return { directory, name: packageName, tags: nx?.tags ?? [] };
      }),
  );
}

/** What the files of a project import of this repository: files by their path, other projects by their directory. */
export function readImports(root: string, project: Project, projects: readonly Project[]): Import[] {
  return SOURCE_FOLDERS.flatMap((folder) => findSources(join(root, project.directory, folder))).flatMap(
    (file) =>
      ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles.flatMap(({ fileName }) => {
        const from = relative(root, file);
        if (fileName.startsWith('.')) return [{ from, to: relative(root, join(dirname(file), fileName)) }];
        const imported = projects.find(({ name }) => fileName === name || fileName.startsWith(`${name}/`));
        return imported ? [{ from, to: imported.directory }] : [];
      }),
  );
}

function findSources(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith(join('api', 'generated')))
    .map((name) => join(directory, name));
}
