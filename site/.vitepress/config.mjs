// The documentation as a site, from the same Markdown that the forge shows. `npm ci && npm run build` in site/ writes it to site/target/site.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import llms from 'vitepress-plugin-llms'
import { withMermaid } from 'vitepress-plugin-mermaid'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const read = (file) => readFileSync(resolve(root, file), 'utf8')
const version = read('pom.xml').match(/<version>([^<]+)<\/version>/)[1]
const repository = read('parents/release/pom.xml').match(/<dedup.scm.url>([^<]+)</)[1]
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((page) => page && !page.startsWith('.') && !page.startsWith('site/'))

// Where a file becomes a page: a README is its folder's first page, and the Chinese one begins the Chinese pages.
const place = (page) =>
  page === 'README.zh-CN.md' ? 'docs/zh-CN/index.md' : page.replace(/(^|\/)README\.md$/, '$1index.md')
const sources = Object.fromEntries(pages.map((page) => [place(page), page]))

// A link to another page leads to that page; one to code leads to the repository.
function target(href, page) {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [path, anchor] = href.split('#')
  const file = posix.normalize(posix.join(posix.dirname(page), path)).replace(/\/$/, '')
  const linked = pages.includes(file) ? file : pages.includes(`${file}/README.md`) ? `${file}/README.md` : null
  const suffix = anchor ? `#${anchor}` : ''
  if (linked) return `/${place(linked)}${suffix}`
  if (!existsSync(resolve(root, file))) throw new Error(`${page} links to ${href}, which doesn't exist`)
  return `${repository}/tree/main/${file}${suffix}`
}

function links(md) {
  md.core.ruler.push('links', (state) => {
    const page = sources[state.env.relativePath]
    for (const block of page ? state.tokens : []) {
      for (const token of block.children ?? []) {
        if (token.type === 'link_open') token.attrSet('href', target(token.attrGet('href'), page))
      }
    }
  })
}

// As the forge makes anchors, which the Markdown's links are written for.
const slugify = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\- _]/gu, '')
    .replace(/ /g, '-')

// The map of docs/README.md (a heading and a table for each kind of reader) is the sidebar.
function sidebar(map, first) {
  const groups = [{ text: first.text, link: first.link }]
  for (const section of read(map).split(/^## /m).slice(1)) {
    const [heading, ...lines] = section.split('\n')
    const items = [...lines.join('\n').matchAll(/\[([^\]]+)\]\(([^)#]+\.md)[^)]*\)/g)]
      .map(([, text, href]) => ({ text, link: target(href, map) }))
      .filter(({ link }, at, all) => all.findIndex((other) => other.link === link) === at)
    if (items.length > 0) groups.push({ text: heading, collapsed: groups.length > 2, items })
  }
  return groups
}

const all = sidebar('docs/README.md', { text: 'What dedup is', link: '/' })
const chinese = all.filter(({ text }) => text === '简体中文').map((group) => ({ ...group, collapsed: false }))

const modules = (process.env.DOCS_JAVADOC ?? '').split(/\s+/).filter(Boolean)
const javadoc = (module) => ({ text: module, link: `/javadoc/${module}/index.html`, target: '_self' })

// Words, and of Chinese text each pair of characters.
const tokenize = (text) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_-]+/u)
    .flatMap((word) =>
      /\p{Script=Han}/u.test(word) && word.length > 2
        ? [...word].slice(1).map((_, at) => word.slice(at, at + 2))
        : [word],
    )
    .filter(Boolean)

export default withMermaid({
  title: 'dedup',
  description: 'Idempotent consumers for Kafka and RocketMQ on the JVM',
  base: process.env.DOCS_BASE ?? '/', // such as /0.1/: each version is built into a folder of its own
  srcDir: '..',
  srcExclude: ['**/target/**', '**/node_modules/**', '.github/**', 'site/**'],
  outDir: './target/site',
  cacheDir: './node_modules/.cache/vitepress',
  rewrites: Object.fromEntries(pages.map((page) => [page, place(page)]).filter(([from, to]) => from !== to)),
  cleanUrls: false,
  lastUpdated: false,
  markdown: { config: links, anchor: { slugify } },
  vite: {
    // The pages are outside site/, where Vue is.
    resolve: {
      alias: [
        { find: /^vue$/, replacement: resolve(root, 'site/node_modules/vue/dist/vue.runtime.esm-bundler.js') },
        { find: /^vue\/server-renderer$/, replacement: resolve(root, 'site/node_modules/vue/server-renderer/index.mjs') },
      ],
    },
    plugins: [llms({ domain: process.env.DOCS_DOMAIN ?? '' })],
    build: { chunkSizeWarningLimit: 4000 },
  },
  locales: {
    root: { label: 'English', lang: 'en' },
    'docs/zh-CN': { label: '简体中文', lang: 'zh-CN', link: '/docs/zh-CN/', themeConfig: { sidebar: chinese } },
  },
  themeConfig: {
    nav: [
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'All pages', link: '/docs/' },
      // Modules whose Javadoc is put beside the pages, which VitePress doesn't know: "dedup-core dedup-kafka"
      ...(modules.length > 0 ? [{ text: 'Javadoc', items: modules.map(javadoc) }] : []),
      {
        text: version,
        items: [
          { text: 'Changelog', link: '/CHANGELOG' },
          { text: 'Versions and support', link: '/docs/versioning' },
          // Versions that were published before: "0.1=/0.1/ 0.2=/0.2/"
          ...(process.env.DOCS_VERSIONS ?? '')
            .split(' ')
            .filter(Boolean)
            .map((each) => each.split('='))
            .map(([text, link]) => ({ text, link, target: '_self' })),
        ],
      },
    ],
    sidebar: all,
    outline: [2, 3],
    search: { provider: 'local', options: { miniSearch: { options: { tokenize } } } },
  },
})
