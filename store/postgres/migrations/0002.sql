-- The warnings of campaigns that somebody dismissed.

CREATE TABLE dismissal (
  workspace text COLLATE "C" NOT NULL,
  campaign  text COLLATE "C" NOT NULL,
  list      bytea NOT NULL, -- JSON: the warning, who dismissed it, when and why
  checksum  bigint NOT NULL,
  PRIMARY KEY (workspace, campaign),
  FOREIGN KEY (workspace, campaign) REFERENCES campaign ON DELETE CASCADE
);
