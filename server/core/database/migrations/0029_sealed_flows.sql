-- A sign-in at a provider is kept in a sealed cookie of its browser: anybody could fill this table.
DROP TABLE oidc_flows;
