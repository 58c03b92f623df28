import {
  createTheme,
  type CSSVariablesResolver,
  isMantineColorScheme,
  type MantineColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core';
import { browserStorage } from '../shared/browser-storage.ts';

const petrol: MantineColorsTuple = [
  '#eaf5f7',
  '#d2e8ed',
  '#a8d3dd',
  '#7abccb',
  '#55a9bb',
  '#3594a9',
  '#1b7d93',
  '#10687c',
  '#0c5567',
  '#083f4d',
];

/** Warm greys: paper in the light, graphite in the dark. */
const gray: MantineColorsTuple = [
  '#f8f7f5',
  '#f1f0ed',
  '#e7e5e1',
  '#dad7d2',
  '#c2bfb9',
  '#8c8983',
  '#67645e',
  '#504e49',
  '#383633',
  '#232220',
];

const dark: MantineColorsTuple = [
  '#edece9',
  '#cbc9c4',
  '#a7a59f',
  '#928f89',
  '#35373b',
  '#2a2c30',
  '#1f2124',
  '#141517',
  '#101113',
  '#0b0c0d',
];

const SANS =
  "'Inter Variable', Inter, ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'PingFang SC', 'Hiragino Sans GB', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Noto Sans SC', sans-serif";
const MONO =
  "'JetBrains Mono', ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace";

const dialogStyles = {
  header: { background: 'var(--tg-panel)' },
  content: { background: 'var(--tg-panel)' },
  title: { fontSize: '1.125rem', fontWeight: 620, letterSpacing: '-0.014em' },
};

/** What floats belongs to the landmark of the page: its place is the element `main` of every page. */
const IN_PAGE = { target: '#page' };

/** A list scrolls by itself: a box around it that scrolls would be one that no key reaches. */
const LIST = {
  defaultProps: { withScrollArea: false },
  styles: { options: { maxHeight: 220, overflowY: 'auto' as const } },
};

export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 6 },
  colors: { petrol, gray, dark },
  white: '#ffffff',
  black: '#1d1c1a',
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontSizes: { xs: '0.75rem', sm: '0.84375rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.55', lg: '1.55', xl: '1.5' },
  radius: { xs: '0.25rem', sm: '0.375rem', md: '0.5rem', lg: '0.75rem', xl: '1.25rem' },
  headings: {
    fontFamily: SANS,
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1.125rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: { radius: 'lg', overlayProps: { backgroundOpacity: 0.45 } },
      styles: dialogStyles,
    },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.35 } }, styles: dialogStyles },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true, portalProps: IN_PAGE } },
    Select: LIST,
    MultiSelect: LIST,
    Autocomplete: LIST,
    TagsInput: LIST,
    Popover: { defaultProps: { portalProps: IN_PAGE } },
    Menu: {
      defaultProps: {
        shadow: 'md',
        position: 'bottom-end',
        // The first entry is focused, and not a place before it that a menu may not have.
        withInitialFocusPlaceholder: false,
        // A menu that fades in is not drawn at all before the second picture after the click.
        transitionProps: { duration: 0 },
      },
    },
  },
});

/** The surfaces of both themes: a page, panels on it, and quiet lines between them. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#fbfaf8',
    '--mantine-color-default-border': '#e2dfda',
    '--mantine-color-placeholder': '#6f6c66',
    '--mantine-color-dimmed': '#67645e',
    '--tg-panel': '#ffffff',
    '--tg-panel-quiet': '#f6f4f1',
    '--tg-line': '#e9e6e1',
    '--tg-accent-text': '#10687c',
    '--tg-accent-soft': '#e6f2f4',
    '--mantine-color-petrol-light-color': '#10687c',
    '--tg-good': '#19703e',
    '--tg-good-soft': '#e5f4ea',
    '--tg-warn': '#85530a',
    '--tg-warn-soft': '#fbf0dc',
    '--tg-bad': '#b3261e',
    '--tg-bad-soft': '#fdecea',
    '--mantine-color-error': '#b3261e',
    '--tg-series-1': '#17768c',
    '--tg-series-2': '#c06a1e',
    '--tg-series-3': '#6b5bb0',
    '--tg-series-4': '#3c8a55',
    '--tg-series-5': '#b84468',
    '--tg-series-6': '#3f6fb5',
    '--tg-series-7': '#8a7a1f',
    '--tg-series-rest': '#8c8983',
    '--tg-series-before': '#dedad3',
    '--tg-hue-lightness': '58%',
    '--tg-hue-chroma': '0.13',
  },
  dark: {
    '--mantine-color-body': '#141517',
    '--mantine-color-default-border': '#36383c',
    '--mantine-color-placeholder': '#9b9892',
    '--tg-panel': '#1a1c1e',
    '--tg-panel-quiet': '#1f2124',
    '--tg-line': '#2a2c30',
    '--tg-accent-text': '#7abccb',
    '--tg-accent-soft': '#17303a',
    '--tg-good': '#6fcf97',
    '--tg-good-soft': '#15301f',
    '--tg-warn': '#e8b65a',
    '--tg-warn-soft': '#33270f',
    '--tg-bad': '#ff9d94',
    '--tg-bad-soft': '#3a1d1b',
    '--mantine-color-error': '#ff9d94',
    '--tg-series-1': '#4fa9bd',
    '--tg-series-2': '#e09a52',
    '--tg-series-3': '#a594e6',
    '--tg-series-4': '#6cbf87',
    '--tg-series-5': '#e58aa6',
    '--tg-series-6': '#7fa9e6',
    '--tg-series-7': '#cbb84e',
    '--tg-series-rest': '#77746e',
    '--tg-series-before': '#3a3d42',
    '--tg-hue-lightness': '74%',
    '--tg-hue-chroma': '0.12',
  },
});

/** Keeps the chosen theme where the page itself finds it before the first script runs. */
export const themeKeeper: MantineColorSchemeManager = {
  get(fallback) {
    const value = browserStorage.read('theme');
    return isMantineColorScheme(value) ? value : fallback;
  },
  set: (value) => browserStorage.write('theme', value),
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => browserStorage.forget('theme'),
};
