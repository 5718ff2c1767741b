// The functions behind snapshot, target lookup, acting and forms.
Object.assign(tah, {});
