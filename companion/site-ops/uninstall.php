<?php
/**
 * Uninstalling leaves content: pages made from code, SEO fields, structured data and redirects belong to the site's
 * owner, and installing the plugin again finds them as they were. The plugin keeps no options and no tables.
 *
 * @package SiteOps
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;
