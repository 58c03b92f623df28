import { createContext, useContext } from 'react';
import { browserZone } from './zone-name.ts';

const ZoneContext = createContext(browserZone());

export const ZoneProvider = ZoneContext.Provider;

/** The one time zone of every page: the account's; the browser's for whoever is not signed in. */
export const useZone = (): string => useContext(ZoneContext);
